/**
 * `npm run test:package`: the packed file in apps that `cdk init` makes, on each Node that it
 * supports.
 */
import { Option } from 'commander';
import { launch } from '../launcher.ts';
import { NODES, type NodeName, PARTS, suitesOn } from './parts.ts';

const majors = NODES.map(name => name.replace('node', ''));

await launch<keyof typeof PARTS, { readonly node: readonly string[] }>({
  command: 'test:package',
  description: 'Packs the package, and installs and synthesizes it in apps that "cdk init" makes.',
  parts: PARTS,
  options: [new Option('--node <versions...>', 'major versions of Node').choices(majors).default(majors)],
  suites: ({ node }) => suitesOn(node.map(major => `node${major}` as NodeName)),
  // Each file builds the package in the same folder.
  maxWorkers: 1,
});
