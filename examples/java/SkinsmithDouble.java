import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs a double of the service for the tests of a class, and fails the class if a client was impolite. SKINSMITH names
 * the program, for example "npx skinsmith" or the path of the executable; "skinsmith" unless set.
 */
public final class SkinsmithDouble implements BeforeAllCallback, AfterAllCallback {
  private static final Pattern FIELD = Pattern.compile("\"(url|key)\":\"([^\"]+)\"");
  private final String scenario;
  private Process process;
  private String url;
  private String key;

  public SkinsmithDouble(String scenario) {
    this.scenario = scenario;
  }

  public String url() {
    return url;
  }

  public String key() {
    return key;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    String program = System.getenv().getOrDefault("SKINSMITH", "skinsmith");
    List<String> command = new ArrayList<>(List.of(program.split(" ")));
    command.addAll(List.of("serve", "--double", "--polite", "--scenario", scenario));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String line = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
    if (line == null) throw new IOException("The double did not start.");
    Matcher field = FIELD.matcher(line);
    while (field.find()) {
      if (field.group(1).equals("url")) url = field.group(2);
      else key = field.group(2);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws InterruptedException {
    process.destroy(); // SIGTERM: it checks its expectations
    if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly();
    else if (process.exitValue() != 0) throw new AssertionError("A client did not meet the double's expectations.");
  }
}
