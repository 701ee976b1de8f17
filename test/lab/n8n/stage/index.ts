export { DAY, HOUR, MINUTE, SECOND } from '../../times';
export { LeadRuns } from './leadRuns';
export * from './nodes';
export { Pushed } from './pushed';
export * from './service';
export { Stage, withN8n } from './stage';
