import type { Deployment, DeploymentChoices } from '../support/deployment.ts';

/** The section of docs/cli.md about one command. Its options come from the program itself. */
export interface CommandPage {
  /** Its name. */
  readonly command: string;
  /** Its purpose in Markdown. */
  readonly purpose: string;
  /** Options of the deployment. */
  readonly choices?: DeploymentChoices;
  /** Run in order against one deployment, which starts with a few rows at the API and nothing sent. */
  readonly scenes: readonly Scene[];
}

export interface Scene {
  /** A sentence before the transcript. */
  readonly says?: string;
  /** Preparation. */
  readonly before?: (each: Deployment) => unknown;
  /** Arguments after `connectorctl`. */
  readonly args: readonly string[];
  /** Environment variables. */
  readonly environment?: (each: Deployment) => Readonly<Record<string, string>>;
  /** Shortens a long output. */
  readonly shown?: (output: string) => string;
}
