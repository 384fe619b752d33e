#!/usr/bin/env node
/** The command `connectorctl` of the package. */
import './check-node.ts';
import '../bin/connectorctl.ts';
