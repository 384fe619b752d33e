import type { Account } from './account.ts';
import { life } from './life.ts';
import { reader } from './reader.ts';
import { readers } from './readers.ts';
import { runbook } from './runbook.ts';
import type { Story } from './story.ts';
import { upgrade } from './upgrade.ts';
import { withoutCdk } from './without-cdk.ts';

interface Chapter {
  readonly about: string;
  /** Whether the bounded run includes it. */
  readonly bounded: boolean;
  play(account: Account, story: Story): Promise<void>;
}

/** Each is played on an account of its own. */
export const STORIES = {
  life: { about: 'a connector from bootstrap to destroy', bounded: true, play: life },
  reader: { about: 'a SIEM that reads twice, late and in vain', bounded: true, play: reader },
  readers: { about: 'several readers, a shared queue, and a migration', bounded: false, play: readers },
  runbook: { about: 'the commands of docs/runbook.md, and incidents that they repair', bounded: true, play: runbook },
  upgrade: { about: 'a stack of an earlier release, updated in place', bounded: false, play: upgrade },
  'without-cdk': { about: 'the template, deployed by the AWS CLI alone', bounded: true, play: withoutCdk },
} as const satisfies Record<string, Chapter>;

export type StoryName = keyof typeof STORIES;
export const STORY_NAMES = Object.keys(STORIES) as StoryName[];
