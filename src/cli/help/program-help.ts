/** The output of `skinsmith --help`, written by man/make.ts. */
export const PROGRAM_HELP = `Turn PNG files, URLs and players into signed Minecraft skins.

Examples:
  # Make a skin and print its value and signature
  $ skinsmith generate skin.png
  # Make every skin in a folder and remember the results
  $ skinsmith generate skins/ --out signed/
  # Verify the results
  $ skinsmith verify signed/skins.lock

Usage: skinsmith <command> [options]

Make skins:
  generate          make skins and print their values and signatures
  queue             submit skins to the queue without waiting for them
  status            show the status of jobs
  jobs              list your jobs
  retry             submit failed jobs again
  pack              make a resource pack; skins in it need no signature

View skins:
  skins             list, print, download, export, edit and delete skins
  sets              group skins, and export each group as one file
  wear              let a player name of a service wear a skin
  download          save skins of players, UUIDs or URLs as PNG files
  preview           show a skin in the terminal
  render            draw a skin as a PNG file
  check             check PNG files without sending them anywhere
  verify            verify signatures and textures of saved skins

Account and settings:
  login             store an API key for a service
  logout            remove the API key for a service
  whoami            show your user, plan and limits
  config            manage settings
  doctor            find problems with your setup

Run a service:
  serve             run a skinsmith service
  health            check whether a service is alive
  conformance       test whether a server implements the API correctly
  open              open the pages of the service in a browser
  players           manage player names that wear skins
  users             manage users of a service
  keys              manage API keys of a service
  identities        manage single sign-on logins
  accounts          manage the game accounts that make skins
  capes             list and manage capes
  reports           report skins and sets; handle reports
  moderation        hide, delete and block other users' skins and sets
  backup            back up a service's data to one file
  restore           restore a backup
  store             manage the store of a service

Help:
  help              show help for a command or a topic
  completion        print a completion script for a shell
  version           print the version

Global options:
  -V, --version     print the version
  --base-url <url>  service to use (default: the embedded one)
  --local           use the embedded service, even if another one is set
  --no-local        never fall back to the embedded service
  --insecure-http   allow sending the API key over plain http to public
                    addresses
  --json            print the result as one JSON document
  -q, --quiet       print only errors on stderr
  -v, --verbose     print each request on stderr
  --color <when>    use colours (auto, always, never)
  --no-color        same as --color never
  -h, --help        print help

Help topics (skinsmith help <topic>):
  sources           what skins can be made from
  formats           output formats, and where to paste each
  who-sees-it       who will see a skin
  output            columns, JSON fields and files for programs
  environment       environment variables
  exit-status       exit statuses and what they mean
`;
