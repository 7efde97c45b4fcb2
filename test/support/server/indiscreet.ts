/** What no answer may contain: a line of a stack, a source file, a statement. */
export const INDISCREET =
  /\n\s+at |\bat \w+ \(|node_modules|node:internal|\.ts\b|\.js:\d|SQLITE|sqlite|insert into|select \*|constraint failed|signing-key/;
