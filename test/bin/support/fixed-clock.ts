/** Preloaded into an operator's process by `--import`: its clock stands where FIXED_TIME says. Timers go on. */
const time = Date.parse(process.env['FIXED_TIME'] ?? '');
if (Number.isNaN(time)) throw new Error('FIXED_TIME is no time');
Date.now = () => time;
