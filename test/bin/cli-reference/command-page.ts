import type { Deployment, DeploymentChoices } from '../support/deployment.ts';

/** The scenes of a command. Its section of docs/cli.md comes from its help. */
export interface CommandPage {
  /** Its name. */
  readonly command: string;
  /** Options of the deployment. */
  readonly choices?: DeploymentChoices;
  /** Run in order against one deployment, which starts with a few rows at the API and nothing sent. */
  readonly scenes: readonly Scene[];
}

export interface Scene {
  /** Whether the transcript is in docs/cli.md. The permissions come from all scenes. */
  readonly isShown?: true;
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
