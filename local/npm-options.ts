import type { Command } from 'commander';

/**
 * Options that were typed without `--` before them. npm takes them as its own and passes them on as variables only.
 *
 *     npm start --change 50   →   npm_config_change=true, and "50" as the only argument
 *
 * @returns each as in the help, such as `--change <n>`
 */
export function optionsKeptByNpm(command: Command, environment: NodeJS.ProcessEnv): string[] {
  const kept = command.options.filter(({ long }) => {
    // npm has options of these names.
    if (long === undefined || long === '--verbose' || long === '--omit') return false;
    return environment[`npm_config_${long.slice(2).replaceAll('-', '_')}`] !== undefined;
  });
  return kept.map(({ flags }) => flags);
}

/** The option as typed: `dnsBlocksPath` → `--dns-blocks-path`. */
export function optionOf(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, capital => `-${capital.toLowerCase()}`)}`;
}
