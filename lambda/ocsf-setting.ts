/** Reads the mapping to OCSF that the infrastructure compiled: the variable `OCSF_FIELDS`. */
import * as v from 'valibot';
import { OCSF_TYPES } from './core/ocsf/values.ts';

const names = v.optional(v.array(v.string()));
const field = v.object({
  to: v.string(),
  type: v.optional(v.picklist(OCSF_TYPES)),
  array: v.optional(v.literal(true)),
  enum: v.optional(v.record(v.string(), v.string())),
  sibling: v.optional(v.string()),
});
const rule = v.object({ path: v.string(), unknown: names, required: names, atLeastOne: names, justOne: names });
const fields = v.record(v.string(), v.object({ fields: v.record(v.string(), field), rules: v.array(rule) }));

const message = 'must be the mapping that the stack compiles from ocsfFields';

export const ocsfFieldsSetting = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), fields), dataset.value);
    if (parsed.success) return parsed.output;
    addIssue({ message });
    return NEVER;
  }),
);
