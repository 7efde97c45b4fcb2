/** The library imports this first: under an older Node, its dependencies fail with errors that do not say why. */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(`skinsmith needs Node 22.19 or newer; this is Node ${process.versions.node}.`);
}
