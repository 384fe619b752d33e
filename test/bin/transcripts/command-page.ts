import type { Deployment, DeploymentChoices } from '../support/deployment.ts';

/** What docs/cli.md says and shows of one command. Its options and their meaning come from the program itself. */
export interface CommandPage {
  /** As the program knows it. */
  readonly command: string;
  /** What it is for, as Markdown. */
  readonly purpose: string;
  /** What the deployment is made of, where it matters. */
  readonly choices?: DeploymentChoices;
  /** One after the other against one deployment, which begins with a few rows at the API and nothing sent. */
  readonly scenes: readonly Scene[];
}

export interface Scene {
  /** A sentence before the transcript. */
  readonly says?: string;
  /** What happens before. */
  readonly before?: (each: Deployment) => unknown;
  /** What the operator types behind `connectorctl`. */
  readonly args: readonly string[];
  /** Variables that the operator has set. */
  readonly environment?: (each: Deployment) => Readonly<Record<string, string>>;
  /** What the page leaves out of a long output. */
  readonly shown?: (output: string) => string;
}
