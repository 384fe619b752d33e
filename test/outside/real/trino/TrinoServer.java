import io.trino.plugin.memory.MemoryPlugin;
import io.trino.server.testing.TestingTrinoServer;
import java.util.Map;

/** Trino in one process: its parser, planner and functions, over tables in memory. The argument is the port. */
public class TrinoServer {
  public static void main(String[] arguments) throws Exception {
    Map<String, String> properties = Map.of(
        "http-server.http.port", arguments[0],
        // A row of 1,000 KiB comes as a literal.
        "query.max-length", "64000000");
    TestingTrinoServer server = TestingTrinoServer.builder().setProperties(properties).build();
    server.installPlugin(new MemoryPlugin());
    // As Athena calls the catalogue of Glue.
    server.createCatalog("awsdatacatalog", "memory");
    System.out.println("Trino can be asked.");
    Thread.currentThread().join();
  }
}
