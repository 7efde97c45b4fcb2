/** What no answer may hold: a line of a stack, a file of ours, a statement. */
export const INDISCREET =
  /\n\s+at |\bat \w+ \(|node_modules|node:internal|\.ts\b|\.js:\d|SQLITE|sqlite|insert into|select \*|constraint failed|signing-key/;
