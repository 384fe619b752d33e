#!/usr/bin/env node
/** Entry point for npm and npx: checks the version of Node, then starts the command line. */
import './check-node.mjs';

await import('./connectorctl.ts');
