#!/usr/bin/env node
/** Entry point of the command `connectorctl` in the package. */
import '../bin/connectorctl.ts';
