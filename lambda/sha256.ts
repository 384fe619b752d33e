import { hash } from 'node:crypto';
import type { Hash } from './ports.ts';

/** 64 lower-case hexadecimal characters. */
export const sha256: Hash = text => hash('sha256', text);
