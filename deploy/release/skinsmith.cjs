// The main script of the single executable: the built program lies beside it, in the executable's own files.
const { start } = require('./dist/start.cjs');

start(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
