import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs a double of the service for the tests of a class, and fails the class if a client was impolite. The environment
 * variable SKINSMITH names the program: a command, or the path of the executable; "npx skinsmith" unless set.
 */
public final class SkinsmithDouble implements BeforeAllCallback, AfterAllCallback {
  private static final Pattern FIELD = Pattern.compile("\"(url|key)\":\"([^\"]+)\"");
  private final String scenario;
  private Process process;
  private String url;
  private String key;

  /** The scenario is a name, or the path of a script. */
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
    List<String> command = program(System.getenv().getOrDefault("SKINSMITH", "npx skinsmith"));
    // With --parent-stdin it also ends when this process is killed.
    command.addAll(List.of("serve", "--double", "--polite", "--parent-stdin", "--scenario", scenario));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String line = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
    if (line == null) throw new IOException("The double did not start.");
    Matcher field = FIELD.matcher(line);
    while (field.find()) {
      if (field.group(1).equals("url")) url = field.group(2);
      else key = field.group(2);
    }
  }

  /** A path may have spaces. Windows starts npx and npm's commands, which are scripts, only by a shell. */
  private static List<String> program(String text) {
    boolean isWindows = System.getProperty("os.name").startsWith("Windows");
    List<String> command = new ArrayList<>(isWindows ? List.of("cmd", "/c") : List.of());
    command.addAll(isFile(text) || isFile(text + ".cmd") ? List.of(text) : List.of(text.split(" ")));
    return command;
  }

  private static boolean isFile(String path) {
    return new File(path).isFile();
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException, InterruptedException {
    try {
      HttpRequest stop =
          HttpRequest.newBuilder(URI.create(url + "/_double/stop"))
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString("{}"))
              .build();
      String answer = HttpClient.newHttpClient().send(stop, HttpResponse.BodyHandlers.ofString()).body();
      if (!answer.contains("\"violations\":[]"))
        throw new AssertionError("A client did not meet the double's expectations: " + answer);
    } finally {
      process.getOutputStream().close();
      process.waitFor(10, TimeUnit.SECONDS);
    }
  }
}
