# nix run github:OWNER/REPOSITORY, where this file is at the top of the repository. Nix has a Node of its own, and would
# have to change an executable to run it, so this takes the npm package, which brings everything else along.
{
  description = "Signed Minecraft skin data from PNG files, URLs and players";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      each = nixpkgs.lib.genAttrs [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
    in
    {
      packages = each (system:
        let pkgs = nixpkgs.legacyPackages.${system};
        in {
          default = pkgs.stdenvNoCC.mkDerivation {
            pname = "skinsmith";
            version = "@VERSION@";
            src = pkgs.fetchurl {
              url = "https://github.com/skinsmith/skinsmith/releases/download/v@VERSION@/skinsmith-@VERSION@.tgz";
              sha256 = "@SHA256_NPM@";
            };
            nativeBuildInputs = [ pkgs.makeWrapper pkgs.installShellFiles ];
            installPhase = ''
              mkdir -p $out/lib/skinsmith
              cp -r . $out/lib/skinsmith
              makeWrapper ${pkgs.nodejs_24}/bin/node $out/bin/skinsmith --add-flags $out/lib/skinsmith/bin/skinsmith.js
              installManPage man/*
              installShellCompletion --name skinsmith --bash completions/skinsmith.bash \
                --zsh completions/_skinsmith --fish completions/skinsmith.fish
            '';
            meta = { license = pkgs.lib.licenses.mit; mainProgram = "skinsmith"; };
          };
        });
    };
}
