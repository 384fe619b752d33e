import { emfOf } from '../../../local/alarms/emf.ts';
import type { Incident } from '../../../local/incidents/incident.ts';
import { functionProcess, HANDLER } from '../../lambda/support/function-process.ts';

const HUNDRED_KILOBYTES = 'x'.repeat(100_000);
/** Twice what the alarm needs: on a busy machine the process has more time to collect its garbage before it measures. */
const ROWS = 450;
const MEGABYTES = 256;

/** In a process of its own, because memory is the one thing that the drills share with the tests. */
export const MEMORY_INCIDENT: Incident = {
  name: 'Rows need more memory than the function has',
  caused: '450 rows of 100 kB come at once; the function has 256 MB',
  minutes: 1,
  configuration: { memoryMegabytes: MEGABYTES },
  begin({ platform }) {
    for (let index = 0; index < ROWS; index++) platform.put('assets', { id: `wide-${index}`, text: HUNDRED_KILOBYTES });
  },
  async eachMinute(scene) {
    const environment = { ...scene.environment, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MEGABYTES) };
    const { stdout } = await functionProcess(HANDLER, environment);
    scene.metrics.addEmf(emfOf(stdout), scene.minute);
  },
  alarms: ['memory-high'],
};
