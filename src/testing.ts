/** For tests of clients: a double of the service (`skinsmith/testing`). */

export {
  type Double,
  type DoubleOptions,
  startDouble,
  UnmetExpectations,
} from './double/double.ts';
export type { Exchange, Violation } from './double/expectations.ts';
export { SCENARIOS, type ScenarioInput as Scenario } from './double/scenario.ts';
