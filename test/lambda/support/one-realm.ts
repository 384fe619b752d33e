import { types } from 'node:util';

/**
 * jest runs each test file in a realm of its own, so errors that Node's core made (a reset connection, a time-out) are no
 * instances of that realm's `Error`, and code that asks would behave as it never does in production. This makes them so.
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
