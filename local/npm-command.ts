/** What the commands that npm runs have in common. */
import { type Command, InvalidArgumentError } from 'commander';

/**
 * The fault of options that were typed without `--` before them. npm takes them as its own and passes them on as variables only.
 *
 *     npm start --change 50   →   npm_config_change=true, and "50" as the only argument
 *
 * @returns undefined when npm took none
 */
export function npmTook(command: Command, environment: NodeJS.ProcessEnv): string | undefined {
  const taken = command.options.filter(({ long }) => {
    // npm has options of these names.
    if (long === undefined || long === '--verbose' || long === '--omit') return false;
    return environment[`npm_config_${long.slice(2).replaceAll('-', '_')}`] !== undefined;
  });
  if (taken.length === 0) return undefined;
  // As in the help, such as `--change <n>`.
  const flags = taken.map(option => option.flags);
  return `npm took ${flags.join(', ')} as its own. Type "--" before the options, as in "${command.name()} ${flags.join(' ')}".`;
}

/** The option as typed: `dnsBlocksPath` → `--dns-blocks-path`. */
export function optionOf(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, capital => `-${capital.toLowerCase()}`)}`;
}

/** Parses the value of an option. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return text => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
