import { FILTER_MUTANTS } from '/work/wt/filters/test/simulation/mutants/filter-mutants.ts';
import { check } from '/work/wt/filters/test/simulation/check.ts';
import { generate } from '/work/wt/filters/test/simulation/generate.ts';
for (const m of FILTER_MUTANTS) {
  let found;
  for (let seed = 4; seed < 4 + 15*120; seed += 15) {
    let b;
    try { b = (await check(generate(seed), m.variant())).breaches[0]; } catch (e) { b = 'broke: ' + e.stack; }
    if (b) { found = [seed, b]; break; }
  }
  console.log(m.rule, '|', m.breakage, '|', found ? found[0] + ' ' + found[1].slice(0, 160) : 'NEVER');
}
