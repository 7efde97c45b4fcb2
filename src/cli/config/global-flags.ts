/** Global options. Only those that the user typed are present. */
export interface GlobalFlags {
  readonly baseUrl?: string;
  /** False: `--no-local`. */
  readonly local?: boolean;
  readonly insecureHttp?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}
