/** Tests of behaviour that no single file has; CONTRIBUTING tells what each is for. */
export const SUITES = ['contract', 'docs', 'e2e', 'on-postgres', 'processes', 'service'];

/**
 * Unit tests that do not stand where their source is.
 * The place of a test of `src/a/b.ts` is `test/a/b.test.ts`, or in the folder `test/a/b/` where one file does not hold them all.
 */
export function misplacedTests(tests: readonly string[], files: readonly string[]): string[] {
  const sources = new Set(files);
  return tests.filter(
    (test) => isUnitTest(test) && !placesOfSource(test).some((place) => sources.has(place)),
  );
}

function isUnitTest(test: string): boolean {
  return test !== 'test/rooms.test.ts' && !SUITES.some((suite) => test.startsWith(`test/${suite}/`));
}

function placesOfSource(test: string): string[] {
  const own = test.slice('test/'.length, -'.test.ts'.length);
  const folder = own.slice(0, Math.max(0, own.lastIndexOf('/')));
  // A helper's test stands beside it; an example's has the example's path.
  return [`src/${own}.ts`, `src/${folder}.ts`, `${own}.ts`, `test/${own}.ts`];
}
