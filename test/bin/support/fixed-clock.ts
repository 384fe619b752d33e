/** Preloaded by `--import`: fixes the clock of the process at FIXED_TIME. Timers work as usual. */
const time = Date.parse(process.env['FIXED_TIME'] ?? '');
if (Number.isNaN(time)) throw new Error('FIXED_TIME is no time');
Date.now = () => time;
