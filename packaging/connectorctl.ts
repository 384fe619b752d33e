#!/usr/bin/env node
/** The command `connectorctl` of the package. */
import '../bin/connectorctl.ts';
