import { startDemo } from './demo/demo.ts';
import { documentedAlarms } from './demo/documented-alarms.ts';
const only = process.argv.slice(2);
const demo = await startDemo({minuteTakes: 50, changes: 4, seed: 1, say: console.log});
const doc = documentedAlarms();
const until = (f:(v:any)=>boolean, most:number) => new Promise<boolean>(res=>{ const end=demo.view.minute+most; const stop=demo.listen(v=>{ if(f(v)||v.minute>end){stop();res(f(v));} }); });
for (const g of demo.groups) for (const b of g.buttons) {
  if (only.length && !only.some(o=>b.name.includes(o))) continue;
  const t=performance.now(); const m0=demo.view.minute;
  await demo.cause(b.name);
  const want=[...(doc.get(b.name)?.keys() ?? b.alarms)];
  const fired = await until(v=>v.incident && want.every(n=>v.incident.alarms.some((a:any)=>a.name===n&&a.fired!==null)) && (want.length>0 || v.incident.minutes>=b.minutes), b.minutes+8);
  const during=demo.view.distance;
  await demo.mend(); const m1=demo.view.minute;
  const equal = await until(v=>v.distance===0, 60);
  const m2=demo.view.minute;
  const calm = await until(v=>v.alarms.every((a:any)=>a.state==='OK'), 130);
  console.log(`${fired?'OK ':'BAD'} ${equal?'OK':'BAD'} ${calm?'calm':'STUCK '+demo.view.alarms.filter(a=>a.state!=='OK').map(a=>a.name)} | ${b.name} | ${demo.view.incident!.alarms.map(a=>`${a.name} ${a.fired}/${a.documented}`).join(', ')} | dist ${during} | equal after ${m2-m1} calm after ${demo.view.minute-m1} | ${m2-m0} min in ${((performance.now()-t)/1000).toFixed(1)} s, rss ${Math.round(process.memoryUsage().rss/2**20)}`);
}
await demo[Symbol.asyncDispose]();
process.exit(0);
