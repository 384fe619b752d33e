import { emfOf } from '../../lambda/support/emf.ts';
import { functionProcess, HANDLER } from '../../lambda/support/function-process.ts';
import type { Incident } from '../support/incident.ts';

const HUNDRED_KILOBYTES = 'x'.repeat(100_000);

/** In a process of its own, because memory is the one thing that the drills share with the tests. */
export const MEMORY_INCIDENT: Incident = {
  name: 'Rows need more memory than the function has',
  caused: 'two hundred rows of 100 kB come in one page; the function has 256 MB',
  minutes: 1,
  configuration: { memoryMegabytes: 256 },
  begin({ platform }) {
    for (let index = 0; index < 200; index++) platform.putAsset({ id: `wide-${index}`, text: HUNDRED_KILOBYTES });
  },
  async eachMinute(scene) {
    const { stdout } = await functionProcess(HANDLER, scene.environment);
    scene.metrics.addEmf(emfOf(stdout), scene.minute);
  },
  alarms: ['memory-high'],
};
