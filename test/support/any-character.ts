import fc from 'fast-check';

/**
 * Any Unicode character but a lone surrogate, the unit of strings: `fc.string({ unit: anyCharacter
 * })`. fast-check's own `'binary'` lists all million characters once per test file, which takes a
 * second and 100 MB.
 */
export const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map(point => String.fromCodePoint(point));
