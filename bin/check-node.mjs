/**
 * Checks Node and the packages before every command: `node --import ./bin/check-node.mjs <entry>`.
 *
 * The file is plain JavaScript without packages, because Node before 22.18 cannot read the
 * TypeScript that follows, and no package is installed before `npm ci`.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const OWN_NODE = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));

const problem = missingPackages() ?? wrongNode();
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}

function missingPackages() {
  try {
    import.meta.resolve('commander');
    return undefined;
  } catch {
    return 'The packages are not installed: run "npm ci" first, which also installs the Node 24 that this project needs.';
  }
}

function wrongNode() {
  if (Number.parseInt(process.versions.node, 10) >= NEEDED) return undefined;
  const problem = `This project needs Node ${NEEDED}, and ${process.versions.node} runs this command`;
  if (existsSync(OWN_NODE)) return `${problem}: start it with npm or npx, which use the Node in node_modules/.bin.`;
  return `${problem}: Node ${NEEDED} comes by an install script of the package "node", which --ignore-scripts leaves out, so run "npm rebuild node --ignore-scripts=false", or put a Node ${NEEDED} of your own first on the PATH.`;
}
