/** A problem of an option or a prop, with its path, for example `connectors[1].rateMinutes`. */
export interface Problem {
  readonly path: string;
  readonly reason: string;
}

/**
 * The configuration cannot be used, and nothing was synthesized. The error lists every problem,
 * with the path of its member.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    const lines = problems.map(({ path, reason }) => `  ${path}: ${reason}`);
    super(`The connector configuration has ${count}; nothing was synthesized.\n${lines.join('\n')}`, options);
    this.problems = problems;
  }
}
