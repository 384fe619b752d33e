/** A fault with its path, such as `connectors[1].rateMinutes`. */
export interface Fault {
  readonly path: string;
  readonly reason: string;
}

/** The configuration cannot be used. Lists every fault at once, each with the path of its member. Nothing has been synthesized. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[], options?: ErrorOptions) {
    const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
    const lines = faults.map(({ path, reason }) => `  ${path}: ${reason}`);
    super(`The connector configuration has ${count}; nothing was synthesized.\n${lines.join('\n')}`, options);
    this.faults = faults;
  }
}
