import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.airlift.slice.Slices;
import io.trino.plugin.hive.HiveType;
import io.trino.plugin.hive.ViewReaderUtil;
import io.trino.plugin.hive.metastore.Column;
import io.trino.plugin.hive.metastore.Partition;
import io.trino.plugin.hive.metastore.StorageFormat;
import io.trino.plugin.hive.metastore.Table;
import io.trino.plugin.hive.projection.PartitionProjection;
import io.trino.plugin.hive.projection.PartitionProjectionProperties;
import io.trino.spi.connector.ConnectorViewDefinition;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.VarcharType;
import io.trino.type.InternalTypeManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What Trino makes of tables and views of Glue's catalogue, given on standard input as Glue's API takes them: the definition of each view,
 * the names of all partitions of the table, and where those lie whose partition key has one value.
 */
public class Catalogue {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] arguments) throws Exception {
    JsonNode asked = JSON.readTree(System.in);
    ObjectNode answer = JSON.createObjectNode();
    ObjectNode views = answer.putObject("views");
    for (JsonNode view : asked.get("views")) views.set(view.get("Name").asText(), definitionOf(view));
    Table table = tableOf(asked.get("table"));
    PartitionProjection projection =
        PartitionProjectionProperties.getPartitionProjectionFromTable(table, InternalTypeManager.TESTING_TYPE_MANAGER).get();
    List<String> keys = table.getPartitionColumns().stream().map(Column::getName).toList();
    answer.put("all", projection.getProjectedPartitionNamesByFilter(keys, TupleDomain.all()).get().size());
    ObjectNode locations = answer.putObject("locations");
    Domain value = Domain.singleValue(VarcharType.VARCHAR, Slices.utf8Slice(asked.get("value").asText()));
    TupleDomain<String> filter = TupleDomain.withColumnDomains(Map.of(asked.get("key").asText(), value));
    List<String> names = projection.getProjectedPartitionNamesByFilter(keys, filter).get();
    Map<String, Optional<Partition>> partitions = projection.getProjectedPartitionsByNames(table, names);
    partitions.forEach((name, partition) -> locations.put(name, partition.get().getStorage().getLocation()));
    System.out.println(JSON.writeValueAsString(answer));
  }

  private static ObjectNode definitionOf(JsonNode view) {
    ConnectorViewDefinition definition =
        ViewReaderUtil.PrestoViewReader.decodeViewData(view.get("ViewOriginalText").asText());
    ObjectNode told = JSON.createObjectNode();
    told.put("isView", ViewReaderUtil.isTrinoView(view.get("TableType").asText(), textsOf(view.get("Parameters"))));
    told.put("catalog", definition.getCatalog().orElse(null));
    told.put("schema", definition.getSchema().orElse(null));
    told.put("sql", definition.getOriginalSql());
    ObjectNode columns = told.putObject("columns");
    definition.getColumns().forEach(column -> columns.put(column.getName(), column.getType().getId()));
    return told;
  }

  private static Table tableOf(JsonNode input) {
    JsonNode storage = input.get("StorageDescriptor");
    StorageFormat format = StorageFormat.create(
        storage.get("SerdeInfo").get("SerializationLibrary").asText(),
        storage.get("InputFormat").asText(),
        storage.get("OutputFormat").asText());
    return Table.builder()
        .setDatabaseName("database")
        .setTableName(input.get("Name").asText())
        .setTableType(input.get("TableType").asText())
        .setOwner(Optional.empty())
        .setDataColumns(columnsOf(storage.get("Columns")))
        .setPartitionColumns(columnsOf(input.get("PartitionKeys")))
        .setParameters(textsOf(input.get("Parameters")))
        .withStorage(builder -> builder.setLocation(storage.get("Location").asText()).setStorageFormat(format))
        .build();
  }

  private static List<Column> columnsOf(JsonNode columns) {
    List<Column> found = new ArrayList<>();
    for (JsonNode column : columns) {
      HiveType type = HiveType.valueOf(column.get("Type").asText());
      found.add(new Column(column.get("Name").asText(), type, Optional.empty(), Map.of()));
    }
    return found;
  }

  private static Map<String, String> textsOf(JsonNode object) {
    Map<String, String> texts = new HashMap<>();
    object.fields().forEachRemaining(field -> texts.put(field.getKey(), field.getValue().asText()));
    return texts;
  }
}
