/**
 * The same error of the file system with the path that people know, so that they see which disk or folder is meant.
 * Errors of writing name no file; `instead`: the path of a temporary file that stands for it.
 */
export function namingFile(error: unknown, path: string, instead?: string): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const isNamed = 'path' in error && error.path !== instead;
  return isNamed ? error : Object.assign(error, { path });
}
