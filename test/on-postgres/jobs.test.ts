import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres('service/jobs', ['queue', 'webhooks']);
