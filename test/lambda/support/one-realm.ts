import { types } from 'node:util';

/**
 * jest runs each test file in a realm of its own. Errors of Node's core, such as a reset connection, are not instances of that realm's `Error`,
 * so `instanceof` would answer differently from production. This makes it answer the same.
 */
Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, candidate: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, candidate)) return true;
    return this === Error && (types.isNativeError(candidate) || isDomException(candidate));
  },
});

function isDomException(candidate: unknown): boolean {
  return Object.prototype.toString.call(candidate) === '[object DOMException]';
}
