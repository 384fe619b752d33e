import { templateWith } from '../stack/shared-template.ts';
import type { SynthesizedTemplate } from '../stack/template.ts';
import { VARIANTS } from '../stack/variants.ts';

const TEMPLATES: readonly SynthesizedTemplate[] = await Promise.all(
  [VARIANTS.plain, VARIANTS.everyOption, VARIANTS.splunk].map(templateWith),
);

/** Every output that some connector's stack has. */
export const OUTPUTS: ReadonlySet<string> = new Set(TEMPLATES.flatMap(({ Outputs }) => Object.keys(Outputs)));
