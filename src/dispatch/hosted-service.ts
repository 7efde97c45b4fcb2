const HOSTED = /(^|\.)mineskin\.org$/;

/** Whether an address is that of the hosted service, for which the game signs. */
export function isHostedService(address: string): boolean {
  return HOSTED.test(URL.parse(address)?.hostname ?? '');
}
