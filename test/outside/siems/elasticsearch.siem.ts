import { describeEngine } from './support/search-engine.ts';

describeEngine('elasticsearch');
