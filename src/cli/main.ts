import { VERSION } from '../base/version.ts';

/** Runs one command line (without node and the script) and returns the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${VERSION}\n`); // answered before other modules load
    return 0;
  }
  if (argv.length === 0) {
    const { WELCOME } = await import('./help/welcome.ts');
    process.stdout.write(WELCOME);
    return 0;
  }
  const { runProgram } = await import('./run.ts');
  return await runProgram(argv);
}
