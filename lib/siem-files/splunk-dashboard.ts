/** The dashboard of the app for Splunk, in the format of Dashboard Studio. */
import { GONE_KINDS, quoted } from './event-facts.ts';

interface Panel {
  readonly title: string;
  readonly type: 'splunk.singlevalue' | 'splunk.table' | 'splunk.column';
  readonly search: string;
  readonly at: readonly [x: number, y: number, w: number, h: number];
}

const LOOKUP = '| inputlookup security_data_now';
const GONE = `kind IN (${quoted(GONE_KINDS)})`;
/** In the words that the filter of `inputlookup` has. */
export const NOT_GONE = GONE_KINDS.map(kind => `kind!="${kind}"`).join(' AND ');
const EXISTS = `where ${NOT_GONE}`;

const PANELS: readonly Panel[] = [
  {
    title: 'Assets that exist now',
    type: 'splunk.singlevalue',
    search: `${LOOKUP} ${EXISTS} | search stream=assets | stats count`,
    at: [0, 0, 400, 180],
  },
  {
    title: 'Threats that exist now',
    type: 'splunk.singlevalue',
    search: `${LOOKUP} ${EXISTS} | search stream=threats | stats count`,
    at: [400, 0, 400, 180],
  },
  {
    title: 'Minutes since the newest event',
    type: 'splunk.singlevalue',
    search: '`security_data` | stats max(_time) AS newest | eval minutes=round((now()-newest)/60) | fields minutes',
    at: [800, 0, 400, 180],
  },
  {
    title: 'Events by stream',
    type: 'splunk.column',
    search: '`security_data` | timechart span=1h dc(event_id) BY stream',
    at: [0, 180, 1200, 300],
  },
  {
    title: 'Removed and withdrawn',
    type: 'splunk.table',
    search: `\`security_data\` ${GONE} | dedup connector event_id | table _time connector stream id asset_id time`,
    at: [0, 480, 1200, 320],
  },
];

export const DASHBOARD = {
  title: 'Security data',
  description: 'Assets, threats and DNS blocks of the Security Data Connector.',
  visualizations: Object.fromEntries(
    PANELS.map(({ title, type }, index) => [
      `viz_${index}`,
      { type, title, dataSources: { primary: `ds_${index}` }, options: {} },
    ]),
  ),
  dataSources: Object.fromEntries(
    PANELS.map(({ title, search }, index) => [
      `ds_${index}`,
      {
        type: 'ds.search',
        name: title,
        options: { query: search, queryParameters: { earliest: '$time.earliest$', latest: '$time.latest$' } },
      },
    ]),
  ),
  inputs: {
    input_time: {
      type: 'input.timerange',
      title: 'Time range',
      options: { token: 'time', defaultValue: '-24h@h,now' },
    },
  },
  layout: {
    type: 'absolute',
    options: { width: 1200, height: 800 },
    globalInputs: ['input_time'],
    structure: PANELS.map(({ at: [x, y, w, h] }, index) => ({
      item: `viz_${index}`,
      type: 'block',
      position: { x, y, w, h },
    })),
  },
};

export const DASHBOARD_VIEW = `<dashboard version="2" theme="light">
  <label>${DASHBOARD.title}</label>
  <description>${DASHBOARD.description}</description>
  <definition><![CDATA[
${JSON.stringify(DASHBOARD, null, 2)}
  ]]></definition>
</dashboard>
`;
