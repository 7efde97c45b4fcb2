import { type Contract, faultOf, type KnownAnswer } from '../contract/contract.ts';
import { loadContracts } from '../contract/contracts.ts';

/** The hosted service's published description as it stands, without what we know to be otherwise. */
export class PublishedContract {
  readonly #contract: Contract;

  constructor() {
    this.#contract = loadContracts().published;
  }

  /** What is wrong with a body as the answer of this status to this operation. */
  faults(operation: `${'get' | 'post'} ${string}`, status: number, body: unknown): string[] {
    const answer = this.#contract.operations[operation]?.[status];
    return answer ? this.#judge(answer, body) : [`${operation} has no answer ${status}`];
  }

  /** What is wrong with a body as one of the answers that have a name of their own. */
  faultsAs(name: string, body: unknown): string[] {
    const answer = this.#contract.responses[name];
    return answer ? this.#judge(answer, body) : [`the contract has no answer ${name}`];
  }

  #judge(answer: KnownAnswer, body: unknown): string[] {
    const fault = faultOf(this.#contract, answer, body);
    return fault === undefined ? [] : [fault];
  }
}
