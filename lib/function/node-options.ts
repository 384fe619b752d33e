/**
 * Options of the function's Node. Stack traces name the sources, and the young generation is bounded: V8 would take the
 * bound from the machine's memory, and beyond this it uses more memory for no less work (docs/performance.md).
 */
export const NODE_OPTIONS = ['--enable-source-maps', '--max-semi-space-size=16'];
