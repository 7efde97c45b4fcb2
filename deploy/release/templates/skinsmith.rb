# For a tap of Homebrew: Formula/skinsmith.rb
class Skinsmith < Formula
  desc "Signed Minecraft skin data from PNG files, URLs and players"
  homepage "https://github.com/skinsmith/skinsmith"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "https://github.com/skinsmith/skinsmith/releases/download/v@VERSION@/skinsmith-@VERSION@-darwin-arm64.tar.xz"
      sha256 "@SHA256_DARWIN_ARM64@"
    end
    on_intel do
      url "https://github.com/skinsmith/skinsmith/releases/download/v@VERSION@/skinsmith-@VERSION@-darwin-x64.tar.xz"
      sha256 "@SHA256_DARWIN_X64@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/skinsmith/skinsmith/releases/download/v@VERSION@/skinsmith-@VERSION@-linux-arm64.tar.xz"
      sha256 "@SHA256_LINUX_ARM64@"
    end
    on_intel do
      url "https://github.com/skinsmith/skinsmith/releases/download/v@VERSION@/skinsmith-@VERSION@-linux-x64.tar.xz"
      sha256 "@SHA256_LINUX_X64@"
    end
  end

  # The program is a part of the executable, which strip would cut off.
  skip_clean "bin/skinsmith"

  def install
    bin.install "skinsmith"
    man1.install Dir["man/*.1"]
    man5.install Dir["man/*.5"]
    bash_completion.install "completions/skinsmith.bash" => "skinsmith"
    zsh_completion.install "completions/_skinsmith"
    fish_completion.install "completions/skinsmith.fish"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/skinsmith --version").strip
  end
end
