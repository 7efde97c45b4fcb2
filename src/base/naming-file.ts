/**
 * Adds the path that users know to an error of the file system, so that they see which disk or folder is meant: errors
 * of writing name no file. `instead`: the path of a temporary file, which is replaced.
 */
export function namingFile(error: unknown, path: string, instead?: string): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const isNamed = 'path' in error && error.path !== instead;
  return isNamed ? error : Object.assign(error, { path });
}
