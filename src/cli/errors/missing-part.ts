const MISSING_PART = {
  code: 'program_incomplete',
  message: 'A file of skinsmith is missing: the program was replaced or removed while it was running.',
  hint: 'Run the same command again. If that does not help, install skinsmith again.',
};

/** Whether a file of the program could not be loaded. */
export function isMissingPart(error: unknown): boolean {
  return ((error ?? {}) as { code?: unknown }).code === 'MODULE_NOT_FOUND';
}

/** The lines for stderr, as for other errors: the files that write those may be missing as well. */
export function missingPartLines(json: boolean): string {
  if (json) return `${JSON.stringify({ error: MISSING_PART })}\n`;
  return `error: ${MISSING_PART.message}\nhint: ${MISSING_PART.hint}\n`;
}
