import { expect, test } from '@jest/globals';
import { checkWithNag } from '../../bin/nag.ts';
import { createApp, variantStacks } from './synth.ts';
import { VARIANT_NAMES } from './variants.ts';

test('the templates of all variants are valid for CloudFormation', () => {
  // One app for all, because the validation takes longer to start than to validate a template.
  const app = createApp({ builtinCloudFormationValidation: true });
  variantStacks(app);
  checkWithNag(app);
  expect(app.synth().stacks).toHaveLength(VARIANT_NAMES.length);
});
