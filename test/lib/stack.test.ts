/**
 * What the synthesized stack holds to, a file a subject. They share one process, because loading the CDK and synthesizing each variant
 * takes longer than all that is asked of the templates.
 */
import './stack/function.ts';
import './stack/delivery.ts';
import './stack/new-objects.ts';
import './stack/siem-access.ts';
import './stack/siem-readers.ts';
import './stack/safety.ts';
import './stack/landing-zone.ts';
import './stack/replacement.ts';
import './stack/alarms.ts';
import './stack/dashboard.ts';
import './stack/error-query.ts';
import './stack/security-data-connector.ts';
import './stack/grants.ts';
import './stack/metrics.ts';
import './stack/tokens.ts';
import './stack/checks.ts';
import './stack/snapshot.ts';
