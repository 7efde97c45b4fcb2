/** Whether tests try everything, as `.ci/run` does. `npm test` leaves out what takes long and seldom finds more. */
export const isWhole = process.env['SKINSMITH_TESTS_WHOLE'] === '1';
