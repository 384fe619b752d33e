import { assertNode } from './prerequisites.ts';

assertNode();
