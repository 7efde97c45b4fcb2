/** Whether an address belongs to version 1, where all answers use its format. Proxies are sent whole URLs. */
export function isV1Address(url: string): boolean {
  return /^(?:https?:\/\/[^/?#]*)?\/+(?:generate|get|render|validate)(?:[/?#]|$)/.test(url);
}
