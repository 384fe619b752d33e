#!/usr/bin/env node
/** What npm and npx start: the check, then the command line. */
import './check-node.mjs';

await import('./connectorctl.ts');
