import { assertNode, assertPeers } from './prerequisites.ts';

assertNode();
assertPeers();
